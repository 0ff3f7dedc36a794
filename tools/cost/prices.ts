/**
 * List prices in US dollars, beyond the free tier, for us-central1 (Iowa). They were read on the day below from copies
 * of the providers' pages, and change: look at the pages before you count on them.
 */
export const PRICES = {
  readOn: '2026-11-22',
  sources: {
    firestore: 'https://cloud.google.com/firestore/pricing',
    run: 'https://cloud.google.com/run/pricing',
    logging: 'https://cloud.google.com/stackdriver/pricing',
    network: 'https://cloud.google.com/vpc/network-pricing',
    scheduler: 'https://cloud.google.com/scheduler/pricing',
  },
  /** For each document. The multi-region nam5 is twice as much. */
  read: 0.03 / 100_000,
  write: 0.09 / 100_000,
  delete: 0.01 / 100_000,
  /** For each GiB and month: documents and their index entries. */
  storage: 0.15,
  /** For each GiB and month of a backup, which is as large as the database was, index entries included. */
  backup: 0.03,
  /** For each GiB and month of the database, whatever was written: so it is billed. */
  pitr: 0.15,
  /** Cloud Run with request-based billing, tier 1: for each second in which an instance has a request. */
  vcpuSecond: 0.000024,
  gibSecond: 0.0000025,
  /** Of an instance that is kept (`BILLING_MIN_INSTANCES`) and has no request, for a vCPU and for a GiB. */
  idleSecond: 0.0000025,
  request: 0.4 / 1_000_000,
  /** For each GiB that leaves Google for North America or Europe. */
  egress: 0.12,
  /** For each GiB that is logged. */
  logging: 0.5,
  /** For each job of Cloud Scheduler and month. */
  schedule: 0.1,
} as const;

/** Each month, and for Firestore each day, at no cost. */
export const FREE = {
  readsPerDay: 50_000,
  writesPerDay: 20_000,
  deletesPerDay: 20_000,
  storedGib: 1,
  requests: 2_000_000,
  vcpuSeconds: 180_000,
  gibSeconds: 360_000,
  loggedGib: 50,
  /** Of what Firestore sends, and of what Cloud Run sends within North America. */
  egressGib: { firestore: 10, run: 1 },
  schedules: 3,
} as const;

/** What an instance is made of: functions/src/index.ts, and one vCPU, which a concurrency above 1 takes. */
export const INSTANCE = { vcpu: 1, gib: 0.5 } as const;
/** Instance time is counted in steps of this many milliseconds. */
export const BILLED_STEP_MS = 100;
/** Cloud Run starts another instance above this share of a processor (docs: "about instance autoscaling"). */
export const TARGET_UTILISATION = 0.6;

export const GIB = 2 ** 30;
export const DAYS = 30;
export const SECONDS = DAYS * 86_400;
