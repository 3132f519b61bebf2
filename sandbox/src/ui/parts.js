// The parts of the console by the first segment of the fragment.

import addresses from "./addresses.js";
import clock from "./clock.js";
import faults from "./faults.js";
import issuer from "./issuer.js";
import operations from "./operations.js";
import overview from "./overview.js";
import requests from "./requests.js";
import resources from "./resources.js";

export const PARTS = { "": overview, state: resources, operations, requests, faults, clock, issuer, addresses };
