// The parts of the console by the first segment of the fragment.

import clock from "./clock.js";
import explain from "./explain.js";
import faults from "./faults.js";
import overview from "./overview.js";
import requests from "./requests.js";
import resources from "./resources.js";

export const PARTS = { "": overview, state: resources, explain, requests, faults, clock };
