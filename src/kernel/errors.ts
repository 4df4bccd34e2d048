/**
 * The closed set of errors for callers. `status` and `code` are those of the envelope
 * (docs/specification/errors.md, Codes); `message` is safe to show, `cause` goes to the log only.
 */
export class AppError extends Error {
  override readonly name: string = 'AppError';
  readonly status: number;
  readonly code: string;
  /** Further facts for the caller: field errors, a fresh card, the seconds to wait. */
  readonly detail: Record<string, unknown> | undefined;

  constructor(
    status: number,
    code: string,
    message: string,
    options: { cause?: unknown; detail?: Record<string, unknown> } = {},
  ) {
    super(message, { cause: options.cause });
    this.status = status;
    this.code = code;
    this.detail = options.detail;
  }
}

/** 400: the request cannot be read at all (bad JSON, wrong field type). */
export class BadRequest extends AppError {
  override readonly name = 'BadRequest';
  constructor(message: string, detail?: Record<string, unknown>) {
    super(400, 'R400', message, detail ? { detail } : {});
  }
}

/** 401: one text for every failed login check (docs/specification/login.md 4). */
export class NotAuthenticated extends AppError {
  override readonly name = 'NotAuthenticated';
  constructor(message = 'No available authentication') {
    super(401, 'R401', message);
  }
}

/** The account of a credential. */
type Holder = {
  tenantId: string;
  principalId: string;
  principalType: 'USER' | 'SERVICE_ACCOUNT' | 'SYSTEM';
  name: string;
};

/** 401 for a valid token or key of another resource: the message names both (RFC 8707 2), `holder` is its account. */
export class WrongAudience extends NotAuthenticated {
  readonly holder: Holder;
  constructor(named: string, asked: string, holder: Holder) {
    super(`This token is for ${named}; here one for ${asked} is needed`);
    this.holder = holder;
  }
}

/** docs/specification/login.md 5: HTTP 200 with `ok: false` and no token, as existing clients expect. */
export class PasswordChangeRequired extends AppError {
  override readonly name = 'PasswordChangeRequired';
  constructor(reason: 'required' | 'expired') {
    super(
      200,
      reason === 'required' ? 'R4031' : 'R4032',
      reason === 'required' ? 'Password change required' : 'Password expired, change required',
    );
  }
}

export class Forbidden extends AppError {
  override readonly name = 'Forbidden';
  constructor(message = 'Permission denied') {
    super(403, 'R403', message);
  }
}

/**
 * Also the answer for another tenant's entity, so that a probe learns nothing
 * (docs/specification/tenant-isolation.md 2).
 */
export class NotFound extends AppError {
  override readonly name = 'NotFound';
  constructor(what = 'Resource', instead?: string) {
    super(404, 'R404', `${what} does not exist${instead === undefined ? '' : `; ${instead}`}`);
  }
}

/** Also one that names the part of a call it is about. */
export const isNotFound = (error: unknown): error is AppError =>
  error instanceof AppError && error.status === 404;

/** 409: a name is taken, an entity is in use, or another decision was already made. */
export class Conflict extends AppError {
  override readonly name = 'Conflict';
  constructor(message: string, detail?: Record<string, unknown>) {
    super(409, 'R409', message, detail ? { detail } : {});
  }
}

/** 410: the requested entity has expired. */
export class Gone extends AppError {
  override readonly name = 'Gone';
  constructor(message: string, detail?: Record<string, unknown>) {
    super(410, 'R410', message, detail ? { detail } : {});
  }
}

/** 412: the facts a decision was based on have changed since. */
export class PreconditionChanged extends AppError {
  override readonly name = 'PreconditionChanged';
  constructor(message: string, detail?: Record<string, unknown>) {
    super(412, 'R412', message, detail ? { detail } : {});
  }
}

/** 422: readable, but not allowed: not writable, wrong type, out of limits. */
export class Unprocessable extends AppError {
  override readonly name = 'Unprocessable';
  constructor(message: string, detail?: Record<string, unknown>, cause?: unknown) {
    super(422, 'R422', message, { cause, ...(detail ? { detail } : {}) });
  }
}

export class TooManyRequests extends AppError {
  override readonly name = 'TooManyRequests';
  constructor(message: string, retryAfterSeconds: number, cause?: unknown) {
    super(429, 'R429', message, { cause, detail: { retryAfterSeconds } });
  }
}

/** 503: a dependency (database, bus, model) is unavailable; a retry may succeed. */
export class Unavailable extends AppError {
  override readonly name = 'Unavailable';
  /** `retryAfterSeconds`: as the dependency asks for. */
  constructor(message: string, cause?: unknown, retryAfterSeconds?: number) {
    const detail = retryAfterSeconds === undefined ? {} : { detail: { retryAfterSeconds } };
    super(503, 'R503', message, { cause, ...detail });
  }
}

/**
 * No answer to a caller: the facts that a call relies on have changed since they were read (src/db/basis.ts).
 * Nothing was done, and the call is repeated on the present ones.
 */
export class Outdated extends Error {
  override readonly name = 'Outdated';
  /** The version of the tenant now. */
  readonly present: string;

  constructor(present: string) {
    super('the facts of this call have changed');
    this.present = present;
  }
}
