import { z } from 'zod';

import type { Operation } from '../../kernel/app/app.ts';
import { flag } from '../../kernel/input/flag.ts';
import { input } from '../../kernel/input/input.ts';
import { Text } from '../../kernel/input/text.ts';
import { UTC } from '../../kernel/sentence/time-zone.ts';
import type { Measured } from '../alarm/firing.ts';
import { ChannelType, NoticeEvent } from '../kind/delivery-status.ts';
import { MAX_TEXT, MAX_TITLE } from '../notify/template-ext.ts';
import type { AlarmEvent } from './alarm-event.ts';
import { linkTo, writingOf } from './alarm-link.ts';
import { firedText } from './episode-text.ts';
import { render } from './render.ts';
import { templateFor } from './templates.ts';
import { variablesOf } from './variables.ts';

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
> = async (app, { tenantId, timezone = UTC }, { channelType, event, title, text }) => {
  const writing = writingOf(app);
  const { now } = writing;
  const isFired = event === NoticeEvent.FIRED;
  const variables = variablesOf(
    exampleOf(tenantId, now),
    { ...NAMES, zone: timezone },
    {
      event: isFired ? 'FIRED' : 'RECOVERED',
      now,
      episode: {
        ...EPISODE,
        ...(isFired ? {} : { text: 'Over after 12 min: “Flow temperature” is 74 °C' }),
        since: now - 12 * MINUTE_MS,
        link: linkTo(writing, '1'),
      },
    },
  );
  const template = templateFor([{ channelType, payloadType: 'TEXT', template: { title, text } }], {
    channelType,
    kind: '',
    event: isFired ? 'FIRED' : 'RECOVERED',
  }) ?? { title, text };
  const { title: filledTitle, text: filledText, missing } = render(template, variables);
  return { title: filledTitle, text: filledText, missing, variables: { ...variables } };
};

const MINUTE_MS = 60_000;
const NAMES = {
  deviceName: 'Boiler 2',
  pointName: 'Flow temperature',
  driverName: '',
  unit: '°C',
};
const CONDITION = { field: 'calValue', operator: '>' as const, threshold: 80 };
const FIRED: Measured = {
  condition: CONDITION,
  window: { mode: 'LAST' },
  values: { calValue: 84, rawValue: '84' },
  unit: NAMES.unit,
};
const EPISODE = {
  fired: FIRED,
  text: firedText(FIRED, { pointName: NAMES.pointName, isNow: true }),
  instruction: 'Close valve 3, then call the plumber.',
  lasted: '12 min',
  reminder: 0,
  endReason: '',
  sentTo: ['Mail on call'],
  note: 'Escalation step 2: not confirmed for 10 min',
  present: '86 °C, measured 12 s ago',
};

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
  facts: { ...FIRED.values, ...CONDITION },
});
