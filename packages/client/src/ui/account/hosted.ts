import { createContext, useContext } from 'react';

/** Whether the extension signs its users in itself. `Surface` says so to what is inside. */
export const HostedContext = createContext(false);

export function useIsHosted(): boolean {
  return useContext(HostedContext);
}
