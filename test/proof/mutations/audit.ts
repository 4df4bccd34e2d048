import { breaks, type Mutation } from './mutation.ts';

/** Seals of the audit logs. */
export const audits: readonly Mutation[] = [
  breaks(
    'src/auth/audit/sealed-log.ts',
    'JSON.stringify([before, log, seq, rowId, form, sealMs, content])',
    'JSON.stringify([before, log, seq, rowId, form, sealMs])',
    'api/audit-verify',
    'name one byte that was changed',
  ),
  breaks(
    'src/auth/audit/chain.ts',
    'this.#compareOutside(seal);',
    '',
    'api/audit-verify',
    'fit what was written',
  ),
];
