import "./common.js";
import { swagger } from "./swagger.js";

swagger({ url: "/sandbox/openapi.yaml" });
