#!/usr/bin/env node
import { run } from './program.ts';

// Clients of Firestore and emulators hold connections open, so the process does not end by itself.
process.exit(await run(process.argv.slice(2)));
