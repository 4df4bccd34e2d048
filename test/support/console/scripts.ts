/** What a script that runs calls; the page of the test reports it. */
export const CALLED = 'svcPlanted';
/** An element that only markup makes. */
export const ELEMENT = 'svc-planted';

/** Ways to make a text run; `RUN` is the call. */
const ATTEMPTS: readonly string[] = [
  '<script>RUN</script>',
  '<script src=data:text/javascript,RUN></script>',
  '<script src=http://evil.example/x.js></script>',
  '<script type=module>RUN</script>',
  '<img src=x onerror=RUN>',
  '<img src=http://evil.example/x.png>',
  '<image href=x onerror=RUN>',
  '<svg onload=RUN>',
  '<svg><script>RUN</script></svg>',
  '<svg><animate onbegin=RUN attributeName=x dur=1s>',
  '<svg><a xlink:href="javascript:RUN"><text x=20 y=20>x</text></a></svg>',
  '<math href="javascript:RUN">x</math>',
  '<body onload=RUN>',
  '<iframe src="javascript:RUN">',
  '<iframe srcdoc="<script>parent.RUN</script>">',
  '<object data="javascript:RUN">',
  '<embed src="javascript:RUN">',
  '<a href="javascript:RUN">x</a>',
  '[x](javascript:RUN)',
  '![x](http://evil.example/x.png)',
  '<details open ontoggle=RUN>',
  '<video><source onerror=RUN></video>',
  '<audio src=x onerror=RUN>',
  '<input autofocus onfocus=RUN>',
  '<select autofocus onfocus=RUN>',
  '<form action="javascript:RUN"><button>x</button></form>',
  '<button formaction="javascript:RUN">x</button>',
  '<meta http-equiv=refresh content="0;url=javascript:RUN">',
  '<base href=http://evil.example/>',
  '<link rel=stylesheet href=http://evil.example/x.css>',
  '<style>@import "http://evil.example/x.css";</style>',
  '<div style="background:url(http://evil.example/x)">x</div>',
  '<marquee onstart=RUN>x</marquee>',
  '<template><script>RUN</script></template>',
  '<noscript><p title="</noscript><img src=x onerror=RUN>">',
  '<xmp><p title="</xmp><img src=x onerror=RUN>">',
  '{{constructor.constructor("RUN")()}}',
  '${RUN}',
  'javascript:RUN',
  '<svc-planted></svc-planted>',
];

/** Places in markup or script out of which a text would have to break. */
const CONTEXTS: readonly ((attempt: string) => string)[] = [
  (attempt) => attempt,
  (attempt) => `"><${ELEMENT}>${attempt}`,
  (attempt) => `'/></title></textarea></style></script>${attempt}`,
  (attempt) => `--></select></template>${attempt}<!--`,
  (attempt) => `\\u003c\\"}];</script>${attempt}`,
];

/** Two hundred texts that would run, load or mark something where a page took them for markup, each with its number. */
export const scripts: readonly string[] = CONTEXTS.flatMap((context, outer) =>
  ATTEMPTS.map((attempt, inner) =>
    context(attempt).replaceAll('RUN', `${CALLED}(${outer * ATTEMPTS.length + inner})`),
  ),
);
