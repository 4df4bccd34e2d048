import { randomBytes } from 'node:crypto';

/** Ids of calls that a client runs name the stored steps of the turn that they belong to. */
const CALL_ID = /^call_([0-9a-f]{24})_\d{1,3}$/;

export const newHandle = (): string => randomBytes(12).toString('hex');

export const clientCallId = (handle: string, index: number): string => `call_${handle}_${index}`;

/** The handle in an id; undefined for an id that the platform did not give. */
export const handleIn = (callId: string): string | undefined => CALL_ID.exec(callId)?.[1];
