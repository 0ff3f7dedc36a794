/** What others allow, as documented on 2026-11-22 in copies of their pages. Most can be raised by asking. */
export const LIMITS = {
  firestore: {
    /** A collection that is new to traffic takes so many operations a second, and half as many again every five minutes. */
    rampFrom: 500,
    rampBy: 1.5,
    rampEveryMinutes: 5,
    /** Writes a second of one document, sustained: beyond it they conflict and wait. */
    writesOfDocument: 1,
    /** Writes a second where an indexed field rises with time. */
    sequentialWrites: 500,
    databases: 100,
    source: 'https://firebase.google.com/docs/firestore/best-practices',
    quotas: 'https://firebase.google.com/docs/firestore/quotas',
  },
  run: {
    /** vCPU of a region, in Google's example of a baseline: your quota page has yours. */
    vcpuOfRegion: 1_000,
    source: 'https://cloud.google.com/run/docs/configuring/max-instances-limits',
    scaling: 'https://cloud.google.com/run/docs/about-instance-autoscaling',
  },
  stripe: {
    /** Requests a second of a live account. */
    requests: 100,
    source: 'https://docs.stripe.com/rate-limits',
  },
  tasks: { dispatchesOfQueue: 500, source: 'https://cloud.google.com/tasks/docs/quotas' },
} as const;

/** The service's own, with their settings. */
export const OWN = {
  maxInstances: 100,
  /** Calls to the provider a second of the comparison. */
  providerCalls: 20,
  /** From an instance to Firestore and back, in the region. */
  roundTripMs: 10,
} as const;

/** Minutes until a database that was idle takes so many operations a second. */
export function minutesOfRamp(perSecond: number): number {
  const { rampFrom, rampBy, rampEveryMinutes } = LIMITS.firestore;
  const steps = Math.ceil(Math.log(Math.max(1, perSecond / rampFrom)) / Math.log(rampBy));
  return steps * rampEveryMinutes;
}
