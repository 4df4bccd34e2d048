import { z } from 'zod';

import { AnswerExt, named } from '../../kernel/entity/answer.ts';
import { Version } from '../../kernel/entity/change.ts';
import { EnableFlag, flag } from '../../kernel/input/flag.ts';
import { Id } from '../../kernel/input/id.ts';
import { Ext, shared } from '../../kernel/input/input.ts';
import { Page } from '../../kernel/input/page.ts';
import { Code, Name, Text } from '../../kernel/input/text.ts';
import { ValueType } from '../entity/value-type.ts';

/** Parameters that one call or one report may carry (bus/topic/topics.ts). */
export const MAX_PARAMS = 64;

/** What the parameters of commands and of events answer. */
export const paramColumns = {
  paramName: z.string().meta({ examples: ['Target temperature'] }),
  paramCode: z.string().meta({ examples: ['target-temperature'] }),
  paramTypeFlag: named(ValueType),
  paramExt: AnswerExt,
};

/** What they take: an added one, a changed one, and a list of them. */
export const added = {
  ...shared,
  paramName: Name,
  paramCode: Code,
  paramTypeFlag: flag(ValueType),
  paramExt: Ext.optional(),
};
export const changed = {
  ...shared,
  id: Id,
  version: Version,
  paramName: Name.optional(),
  paramCode: Code.optional(),
  paramTypeFlag: flag(ValueType).optional(),
  paramExt: Ext.optional(),
};
export const listed = {
  page: Page,
  paramName: Text(64).optional(),
  paramCode: Text(64).optional(),
  paramTypeFlag: flag(ValueType).optional(),
  enableFlag: flag(EnableFlag).optional(),
};
