/** Login and password of an admin created by this start; the password only if it was generated. */
export type FirstLogin = { login: string; generatedPassword: string | null } | null;

/** A start that failed after it had created the first admin; keeps the generated password for the output. */
export class UnfinishedStart extends Error {
  override readonly name = 'UnfinishedStart';
  readonly firstLogin: NonNullable<FirstLogin>;
  constructor(cause: unknown, firstLogin: NonNullable<FirstLogin>) {
    super('The start failed after the first admin was made', { cause });
    this.firstLogin = firstLogin;
  }
}
