import { z } from 'zod';

import type { Operation } from '../../kernel/app/app.ts';
import { flag, nameOf } from '../../kernel/input/flag.ts';
import { input } from '../../kernel/input/input.ts';
import { Text } from '../../kernel/input/text.ts';
import { UTC } from '../../kernel/sentence/time-zone.ts';
import type { Measured } from '../alarm/firing.ts';
import { ChannelType, NoticeEvent } from '../kind/delivery-status.ts';
import { MAX_TEXT, MAX_TITLE, TemplateKind, TemplateList } from '../notify/template-ext.ts';
import type { AlarmEvent } from './alarm-event.ts';
import { linkTo, writingOf } from './alarm-link.ts';
import { firedText } from './episode-text.ts';
import { render } from './render.ts';
import { defaultTemplate, templateFor } from './templates.ts';
import { quotedNames, variablesOf } from './variables.ts';

/** What the message of a preview says. */
const PreviewEvent = { ...NoticeEvent, REMINDER: 3 } as const;

export const PreviewTemplate = input({
  channelType: flag(ChannelType).default(ChannelType.EMAIL),
  kind: TemplateKind.optional().describe('Of a channel with this setting `kind`'),
  event: flag(PreviewEvent).default(PreviewEvent.FIRED),
  title: Text(MAX_TITLE).default(''),
  text: Text(MAX_TEXT).default(''),
  templates: TemplateList.optional().describe(
    'Those of a message, of which the one that fits is filled, in place of title and text; without one the words of the platform',
  ),
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

/** Fills a template with an example alarm, by the functions that choose and fill those of notifications. */
export const preview: Operation<
  z.output<typeof PreviewTemplate>,
  z.output<typeof TemplatePreview>
> = async (app, { tenantId, timezone = UTC }, { channelType, kind = '', ...given }) => {
  const { title, text } = given;
  const said = nameOf(PreviewEvent, given.event);
  const event = said === 'REMINDER' ? 'FIRED' : said;
  const writing = writingOf(app);
  const { now } = writing;
  const variables = variablesOf(
    exampleOf(tenantId, now),
    { ...NAMES, zone: timezone },
    {
      event,
      now,
      episode: {
        ...EPISODE,
        ...EPISODES[said],
        since: now - 12 * MINUTE_MS,
        link: linkTo(writing, '1'),
      },
    },
  );
  const templates = given.templates ?? [
    { channelType, payloadType: 'TEXT', template: { title, text } } as const,
  ];
  const own = templateFor(templates, { channelType, kind, event: said });
  const filled = own
    ? render(own, variables)
    : render(defaultTemplate(event, variables), quotedNames(variables));
  const { used: _used, ...answer } = filled;
  return { ...answer, variables: { ...variables } };
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
/** What the message says of the episode. */
const EPISODES = {
  FIRED: {},
  REMINDER: { reminder: 2, text: `Still firing after 12 min (reminder 2): ${EPISODE.text}` },
  RECOVERED: { text: 'Over after 12 min: “Flow temperature” is 74 °C', present: '' },
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
