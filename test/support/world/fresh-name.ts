let counter = 0;

/** A name nothing else in the database has, in the form of a login. */
export const fresh = (what: string): string => `${what}-${(counter += 1)}-${process.pid}`;
