// The worker's entry.

import { serve } from "../runtime/session.js";
import { session } from "./session.js";

serve(session);
