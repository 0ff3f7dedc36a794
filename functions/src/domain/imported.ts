/** Stands where the provider's object id would, for what an account had before there were facts. */
export const IMPORTED = 'imported';
