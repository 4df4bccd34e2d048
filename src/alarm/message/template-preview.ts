import { z } from 'zod';

import type { Operation } from '../../kernel/app/app.ts';
import { flag } from '../../kernel/input/flag.ts';
import { input } from '../../kernel/input/input.ts';
import { Text } from '../../kernel/input/text.ts';
import { ChannelType, NoticeEvent } from '../kind/delivery-status.ts';
import { MAX_TEXT, MAX_TITLE } from '../notify/template-ext.ts';
import { type AlarmEvent, variablesOf } from './alarm-event.ts';
import { render } from './render.ts';
import { templateFor } from './templates.ts';

export const PreviewTemplate = input({
  channelType: flag(ChannelType).default(ChannelType.EMAIL),
  event: flag(NoticeEvent).default(NoticeEvent.FIRED),
  title: Text(MAX_TITLE).default(''),
  text: Text(MAX_TEXT).default(''),
});

/** A template filled with an example alarm. */
export const TemplatePreview = z
  .object({
    title: z.string().meta({ examples: ['[P1] Boiler too hot'] }),
    text: z.string(),
    missing: z.array(z.string()).describe('Placeholders without a variable; they stay as written'),
    variables: z
      .record(z.string(), z.string())
      .describe('Every variable of the example; a rule adds the fields of its fact'),
  })
  .meta({ id: 'TemplatePreview' });

/** Fills a template with an example alarm, by the function that fills notifications. */
export const preview: Operation<
  z.output<typeof PreviewTemplate>,
  z.output<typeof TemplatePreview>
> = async (app, { tenantId }, { channelType, event, title, text }) => {
  const now = app.clock.now();
  const variables = variablesOf(exampleOf(tenantId, now), NAMES, {
    event: event === NoticeEvent.FIRED ? 'FIRED' : 'RECOVERED',
    reminder: false,
    now,
  });
  const template = templateFor(
    [{ channelType, payloadType: 'TEXT', template: { title, text } }],
    channelType,
  ) ?? { title, text };
  const { title: filledTitle, text: filledText, missing } = render(template, variables);
  return { title: filledTitle, text: filledText, missing, variables: { ...variables } };
};

const NAMES = { deviceName: 'Boiler 2', pointName: 'Flow temperature', unit: '°C' };

const exampleOf = (tenantId: string, now: number): AlarmEvent => ({
  tenantId,
  alarmId: '1',
  ruleStateId: '1',
  ruleId: '1',
  ruleCode: 'boiler-too-hot',
  name: 'Boiler too hot',
  level: 'P1',
  target: 'POINT',
  entityId: '1',
  deviceId: '1',
  pointId: '1',
  message: '“Boiler too hot”: calValue = 84 (> 80 °C)',
  occurTime: now,
  facts: { calValue: 84, rawValue: '84', field: 'calValue', operator: '>', threshold: 80 },
});
