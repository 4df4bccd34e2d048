/** The shape of every REST answer (docs/specification/endpoints.md, Envelope). */
export type Envelope = { ok: boolean; code: string; message: string; data?: unknown };

export const ok = (data?: unknown, code = 'R200', message = 'Success'): Envelope =>
  data === undefined ? { ok: true, code, message } : { ok: true, code, message, data };

export const failure = (code: string, message: string, data?: unknown): Envelope =>
  data === undefined ? { ok: false, code, message } : { ok: false, code, message, data };
