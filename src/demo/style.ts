export const STYLE = `
:root {
  color-scheme: light dark;
  --text: #1b2430; --soft: #55606e; --line: #d5dae1; --ground: #fff; --raised: #f4f6f9; --accent: #0b5cad;
  --added: #dff5e3; --deleted: #fde4e4; --hunk: #e6eefb; --good: #1a7f37; --done: #7a3ec8; --bad: #b3261e;
}
@media (prefers-color-scheme: dark) {
  :root {
    --text: #e4e8ee; --soft: #a3adba; --line: #3a424d; --ground: #14181d; --raised: #1d232a; --accent: #7db6f5;
    --added: #12361d; --deleted: #471a1a; --hunk: #1c2f4d; --good: #57c272; --done: #bb93f2; --bad: #f08a83;
  }
}
* { box-sizing: border-box; }
body { margin: 0; color: var(--text); background: var(--ground); font: 16px/1.5 system-ui, sans-serif; }
header, main { max-width: 60rem; margin: 0 auto; padding: .75rem 1rem; }
header { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; align-items: baseline; border-bottom: 1px solid var(--line); }
header nav { display: flex; gap: 1rem; }
header .brand { font-weight: 700; color: var(--text); text-decoration: none; }
header .brand small { font-weight: 400; color: var(--soft); }
header .who { margin: 0 0 0 auto; color: var(--soft); }
a { color: var(--accent); }
a:focus-visible, button:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 1rem 0 .5rem; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 1.75rem 0 .5rem; }
p, li { overflow-wrap: anywhere; }
code, pre { font: .875rem/1.5 ui-monospace, monospace; }
code { background: var(--raised); padding: .1em .3em; border-radius: 4px; }
pre { margin: 0; padding: .75rem; overflow-x: auto; background: var(--raised); border: 1px solid var(--line); border-radius: 6px; }
pre code { padding: 0; background: none; }
.soft { color: var(--soft); }
.number { color: var(--soft); font-weight: 400; }
.rows { list-style: none; margin: 0; padding: 0; border: 1px solid var(--line); border-radius: 6px; }
.rows > li { padding: .6rem .8rem; }
.rows > li + li { border-top: 1px solid var(--line); }
.rows p { margin: 0; }
.badge { display: inline-block; padding: 0 .6em; border: 1px solid; border-radius: 1em; font-size: .8rem; font-weight: 600; }
.open { color: var(--good); } .merged { color: var(--done); } .closed { color: var(--bad); }
.body { white-space: pre-wrap; border-left: 3px solid var(--line); padding-left: .8rem; }
.diff { padding: .5rem 0; }
.diff code { display: block; width: max-content; min-width: 100%; }
.diff span { display: block; padding: 0 .75rem; min-height: 1.5em; }
.diff .added { background: var(--added); } .diff .deleted { background: var(--deleted); }
.diff .hunk { background: var(--hunk); color: var(--soft); } .diff .file { font-weight: 600; }
.actions { display: flex; flex-wrap: wrap; gap: .75rem; margin: 1rem 0; }
button { font: inherit; padding: .4rem 1rem; border: 1px solid var(--line); border-radius: 6px; background: var(--raised); color: var(--text); cursor: pointer; }
button:hover { border-color: var(--accent); }
button:disabled { color: var(--soft); cursor: not-allowed; }
button.main { background: var(--accent); border-color: var(--accent); color: var(--ground); font-weight: 600; }
.people button { display: block; width: 100%; text-align: left; margin-bottom: .6rem; padding: .7rem 1rem; }
.people strong, .people small { display: block; }
.people small { color: var(--soft); }
`
