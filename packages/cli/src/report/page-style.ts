/** The page's one style sheet: follows the reader's theme, and prints. */
export const PAGE_STYLE = `
:root {
  color-scheme: light dark;
  --page: #f6f6f4; --card: #ffffff; --ink: #16181d; --quiet: #5d626b; --line: #dcdedb; --zero: #8b9098;
  --allowance: #2a6fd0; --packs: #168a68; --spent: #c77a12; --back: #cf3f46; --expired: #7b8190; --other: #7a55c7;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #131519; --card: #1c1f25; --ink: #eceef1; --quiet: #a3a9b4; --line: #343943; --zero: #767d8a;
    --allowance: #5b9bf0; --packs: #35b48f; --spent: #e0a03c; --back: #ee6d72; --expired: #99a0ae; --other: #a98bea;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 1240px; margin: 0 auto; padding: 28px 20px 56px; }
h1 { font-size: 26px; line-height: 1.2; margin: 0 0 4px; letter-spacing: -0.01em; }
h2 { font-size: 17px; margin: 0 0 2px; }
p { margin: 0; color: var(--quiet); }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 12px; margin: 22px 0; padding: 0; }
.figures div, section { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 16px 18px; }
.figures dt { color: var(--quiet); font-size: 13px; }
.figures dd { margin: 0; font-size: 25px; font-weight: 600; font-variant-numeric: tabular-nums; }
section { margin-bottom: 16px; }
.pair { display: grid; grid-template-columns: minmax(0, 5fr) minmax(0, 4fr); gap: 24px; align-items: start; }
@media (max-width: 960px) { .pair { grid-template-columns: minmax(0, 1fr); } }
ul { list-style: none; display: flex; flex-wrap: wrap; gap: 4px 16px; margin: 10px 0 6px; padding: 0; font-size: 13px; }
li::before { content: ""; display: inline-block; width: 10px; height: 10px; border-radius: 3px; margin-right: 6px; background: var(--tone); }
svg { width: 100%; height: auto; display: block; }
svg text { fill: var(--quiet); font-size: 11px; font-variant-numeric: tabular-nums; }
.grid { stroke: var(--line); } .zero { stroke: var(--zero); }
rect.allowance { fill: var(--allowance); } rect.packs { fill: var(--packs); } rect.spent { fill: var(--spent); }
rect.back { fill: var(--back); } rect.expired { fill: var(--expired); } rect.other { fill: var(--other); }
li.allowance { --tone: var(--allowance); } li.packs { --tone: var(--packs); } li.spent { --tone: var(--spent); }
li.back { --tone: var(--back); } li.expired { --tone: var(--expired); } li.other { --tone: var(--other); }
.scroll { max-height: 380px; overflow: auto; }
.scroll:focus-visible { outline: 2px solid var(--allowance); outline-offset: 2px; }
table { border-collapse: collapse; width: 100%; font-size: 13px; font-variant-numeric: tabular-nums; }
caption { text-align: left; color: var(--quiet); padding-bottom: 4px; }
th, td { padding: 4px 8px; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap; }
th:first-child { text-align: left; }
thead th { position: sticky; top: 0; background: var(--card); font-weight: 600; color: var(--quiet); }
tfoot th, tfoot td { font-weight: 600; border-bottom: 0; }
.bar { height: 10px; border-radius: 3px; background: var(--allowance); min-width: 2px; }
td.wide { width: 55%; }
@media print { body { background: none; } section, .figures div { break-inside: avoid; } .scroll { max-height: none; } }
`;
