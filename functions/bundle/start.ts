// Becomes index.cjs, the file that the functions framework, the emulator and firebase-tools load.
import { loadService } from './load-service.ts';

const { service } = loadService(__dirname);

export const api = service.api;
export const reconcileDaily = service.reconcileDaily;
export const summarizeDays = service.summarizeDays;
