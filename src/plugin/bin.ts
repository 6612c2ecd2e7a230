#!/usr/bin/env node
import { startPlugin } from "./index.js";

void startPlugin();
