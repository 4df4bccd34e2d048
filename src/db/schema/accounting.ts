import type { Generated, GeneratedAlways } from 'kysely';

import type { DefaultInt8, DefaultTime, Int8, Time } from './columns.ts';

/** One request to a model. */
export type ChatStepTable = {
  id: GeneratedAlways<string>;
  tenantId: Int8;
  turnId: string;
  step: number;
  conversationId: Generated<string>;
  userId: Int8;
  userName: Generated<string>;
  clientId: Generated<string>;
  endUser: Generated<string>;
  provider: string;
  model: string;
  promptTokens: Int8;
  completionTokens: Int8;
  cachedTokens: Int8;
  reasoningTokens: Int8;
  estimated: boolean;
  cost: string | null;
  currency: Generated<string>;
  firstTokenMs: number | null;
  durationMs: number;
  ended: number;
  reason: Generated<string>;
  createTime: Time;
};

export type ChatBudgetTable = {
  id: GeneratedAlways<string>;
  tenantId: Int8;
  kind: string;
  subject: Generated<string>;
  unit: string;
  currency: Generated<string>;
  period: string;
  amount: string;
  operatorId: DefaultInt8;
  operatorName: Generated<string>;
  operateTime: DefaultTime;
};

export type ChatBudgetUseTable = {
  tenantId: Int8;
  budgetId: Int8;
  subject: string;
  begins: Time;
  used: Generated<string>;
  reserved: Generated<string>;
};
