import { language } from '../app/word/words.ts';

/** Clock time as the plant wrote it, with the date where it is another day than `today`, and the year likewise. */
export function clockTime(iso: string, today: string): string {
  const [, date = '', time = ''] = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)/.exec(iso) ?? [];
  if (time === '') return iso.slice(0, 32);
  const isToday = date === today.slice(0, 10);
  const isThisYear = date.slice(0, 4) === today.slice(0, 4);
  return new Intl.DateTimeFormat(language.value === 'zh' ? 'zh-CN' : 'en-GB', {
    timeZone: 'UTC',
    hour: '2-digit',
    minute: '2-digit',
    ...(!isToday && { day: 'numeric', month: 'short' }),
    ...(!isToday && !isThisYear && { year: 'numeric' }),
  }).format(Date.parse(`${date}T${time}Z`));
}
