// Reads a JSON list of formulas from standard input, writes a JSON list of SVGs.
import { mathjax } from 'mathjax-full/js/mathjax.js';
import { TeX } from 'mathjax-full/js/input/tex.js';
import { SVG } from 'mathjax-full/js/output/svg.js';
import { liteAdaptor } from 'mathjax-full/js/adaptors/liteAdaptor.js';
import { RegisterHTMLHandler } from 'mathjax-full/js/handlers/html.js';
import { AllPackages } from 'mathjax-full/js/input/tex/AllPackages.js';

// Anki's programs differ: some leave textmacros out.
const without = process.argv.slice(2);
const packages = AllPackages.filter((name) => !['bussproofs', ...without].includes(name));
const adaptor = liteAdaptor();
RegisterHTMLHandler(adaptor);
const page = mathjax.document('', {
  InputJax: new TeX({ packages }),
  OutputJax: new SVG({ fontCache: 'none' }),
});
let input = '';
for await (const chunk of process.stdin) input += chunk;
const svgs = JSON.parse(input).map((tex) => adaptor.innerHTML(page.convert(tex, { display: true, em: 16, ex: 8 })));
process.stdout.write(JSON.stringify(svgs));
