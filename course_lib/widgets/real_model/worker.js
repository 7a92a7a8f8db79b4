// The worker's entry.

import { serve } from "../runtime/session.js";
import { session } from "./engine/session.js";

serve(session);
