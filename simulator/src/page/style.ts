/** The look of the page. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --back: light-dark(#fff, #14171d); --card: light-dark(#f8f9fb, #1b1f27); --line: light-dark(#dbe0e8, #323a47);
  --text: light-dark(#1f2530, #dde2ea); --muted: light-dark(#5d6675, #9aa4b4); --accent: light-dark(#3156d3, #8fa8ff);
  --good: light-dark(#176d30, #62d482); --bad: light-dark(#b3261a, #ff948a);
  --target: 1.875rem; /* The height of what a person touches. */
  font: 0.875rem/1.4 system-ui, sans-serif;
}
@media (pointer: coarse) { :root { --target: 2.375rem; } }

* { box-sizing: border-box; }
body { max-width: 112rem; margin: 0 auto; padding: 0.75rem 1rem 3rem; background: var(--back); color: var(--text); }
:is(h1, h2, h3, p, ul, ol, dl, dd, pre) { margin: 0; padding: 0; }
h1, h2 { font-size: 1.25rem; } h3 { font-size: 1rem; }
a, summary { color: var(--accent); line-height: var(--target); text-decoration: none; cursor: pointer; }
code, pre { font: 0.8125rem/1.4 ui-monospace, monospace; }
pre { max-height: 30rem; overflow: auto; white-space: pre-wrap; }
bdi, code, pre { overflow-wrap: anywhere; } /* Labels are not broken inside a word. */
small, .facts { color: var(--muted); font-weight: normal; }
time { white-space: nowrap; font-variant-numeric: tabular-nums; }
.facts b { color: var(--text); }
.good { color: var(--good); } .bad { color: var(--bad); } .away { opacity: 0.6; }

/* Parts that are beside each other if there is room. */
.line, .facts { display: flex; flex-wrap: wrap; align-items: center; gap: 0.25rem 0.5rem; }
.line > :is(h2, h3, span) { flex: 1 1 6rem; min-width: 0; }
.line > details[open] { flex-basis: 100%; }
.line > .wide { flex: 1 1 14rem; min-width: 0; max-width: 40rem; }
.line > p { margin-inline-end: 1rem; }
.facts { align-items: baseline; column-gap: 1rem; }
#connection { flex: 1; }

#problem:not(:empty) { /* In sight, wherever the form is. */
  position: fixed; z-index: 2; inset: auto 1rem 1rem; border: 1px solid; border-radius: 0.5rem;
  padding: 0.75rem 1rem; background: var(--card);
}
main { display: grid; gap: 1.5rem 2rem; padding-top: 0.75rem; }
section { min-width: 0; }
@media (width >= 64rem) {
  main { grid-template-columns: 4fr 3fr; }
  #faults, #behavior { grid-column: 1 / -1; }
}
@media (width < 40rem) { #faults h2 { flex-basis: 100%; } }
.rows {
  max-height: 75vh; overflow: auto; margin-top: 0.5rem; border: 1px solid var(--line); border-radius: 0.5rem;
  background: var(--card); list-style: none;
}
.rows:empty { display: none; } .rows > li { padding: 0.5rem 0.75rem; }
.rows > li + li { border-top: 1px solid var(--line); }
:is(#webhooks, #requests) li { display: grid; grid-template-columns: 1fr auto; align-items: end; column-gap: 1rem; }
li > :is(.line, p, details[open]) { grid-column: 1 / -1; }
li summary { margin-block: -0.25rem; }
.options, #key { margin-top: 0.75rem; }
.options { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(24rem, 100%), 1fr)); gap: 0.5rem 2rem; }
.options > div { display: grid; grid-template-columns: minmax(0, 1fr) 12rem; align-items: center; gap: 0.5rem; }
.options small { display: block; overflow-wrap: anywhere; }

button, input, select, summary.primary {
  min-width: 0; min-height: var(--target); border: 1px solid var(--line); border-radius: 0.375rem; padding: 0.125rem 0.75rem;
  background: var(--back); color: inherit; font: inherit;
}
select { padding-inline: 0.5rem; }
button { border-color: color-mix(in srgb, currentcolor 40%, transparent); color: var(--accent); cursor: pointer; }
:is(button, summary).primary { border-color: transparent; background: var(--accent); color: var(--back); }
summary.primary { display: inline-block; line-height: 1.5; } button.danger { color: var(--bad); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.fields { display: grid; gap: 0.75rem; max-width: 34rem; padding-block: 0.5rem; }
.fields input { display: block; width: 100%; margin-top: 0.25rem; }
`;

/** The icon of the page. */
export const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><title>Webhook API simulator</title>
<rect width="16" height="16" rx="4" fill="#3156d3"/>
<path d="M4 8h8M9 5l3 3-3 3" fill="none" stroke="#fff" stroke-width="2" stroke-linecap="round"/></svg>`;
