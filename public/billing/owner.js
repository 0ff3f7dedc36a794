// Who sells: the name that customers know, shown above each page of this folder. Empty: none is shown.
export const OWNER = '';
