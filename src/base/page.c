// The page's frame, style and script. See page.h.
#include "base/page.h"

#include "base/plot.h"

#include <ctype.h>
#include <string.h>

static const char style[] =
    ":root{color-scheme:light dark}"
    "body{margin:0;font:16px/1.5 system-ui,sans-serif;background:#f6f8f9;color:#1b1f24}"
    "main{max-width:1180px;margin:0 auto;padding:16px}h1{font-size:1.6rem;margin:.4em 0 "
    "0}h2{font-size:1.15rem;margin:0 0 .3em}"
    ".sub{color:#66707a;margin:.2em 0 1em;overflow-wrap:anywhere}"
    "section{background:#fff;border:1px solid #e3e7ea;border-radius:10px;padding:14px 16px;margin:0 0 16px}"
    "section>p{margin:.2em 0 .8em;color:#66707a;max-width:75ch}"
    ".grid{display:grid;gap:16px;grid-template-columns:repeat(auto-fit,minmax(min(100%,390px),1fr))}"
    "svg.kp{width:100%;height:auto;display:block}"
    ".wide{overflow-x:auto;margin:0 0 14px}table{border-collapse:collapse;font-size:.92rem}"
    "td,th{padding:4px 12px 4px 0;text-align:left;vertical-align:top;border-bottom:1px solid #e3e7ea}"
    "th{font-weight:600}td.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}"
    "th+td{overflow-wrap:anywhere}select{max-width:100%}" // only a fact's text may break anywhere; tables scroll
    "tr:last-child>*{border-bottom:0}footer{color:#66707a;font-size:.85rem}code{font-size:.92em}"
    "#tip{position:fixed;display:none;pointer-events:none;background:#1b1f24;color:#fff;font:13px system-ui,sans-serif;"
    "padding:6px 9px;border-radius:6px;white-space:pre;z-index:9;opacity:.94}"
    "@media(prefers-color-scheme:dark){body{background:#0d1013;color:#e6e9ec}section{background:#14181c;border-color:#"
    "2d343b}"
    "td,th{border-color:#2d343b}.sub,section>p,footer{color:#98a2ac}#tip{background:#e6e9ec;color:#14181c}}"
    "@media print{body{background:#fff}section{break-inside:avoid}}";

// Turns the place under the pointer into x, finds each line's nearest point, and turns that back into numbers.
static const char script[] =
    "(()=>{const tip=document.createElement('div');tip.id='tip';document.body.append(tip);"
    "const num=(v,k)=>k==2?dur(v):k==3?(100*v).toFixed(1)+'%':Math.abs(v)>=1e6||(v&&Math.abs(v)<.001)?v.toPrecision(3):"
    "String(+v.toPrecision(4));"
    "const dur=s=>{s=Math.round(s);const h=s/3600|0,m=(s/60|0)%60;return h?h+' h '+m+' min':m?m+' min '+s%60+' s':s+' "
    "s'};"
    "const inv=(a,p)=>{const t=(p-a[2])/(a[3]-a[2]);return a[4]==1?a[0]*Math.pow(a[1]/a[0],t):a[0]+t*(a[1]-a[0])};"
    "for(const g of document.querySelectorAll('.kp-data')){const svg=g.ownerSVGElement,"
    "ax=g.dataset.x.split(',').map(Number),ay=g.dataset.y.split(',').map(Number);"
    "const lines=[...g.querySelectorAll('path[data-name]')].map(p=>[p.dataset.name,[...p.getAttribute('d')"
    ".matchAll(/[ML](-?[\\d.]+),(-?[\\d.]+)/g)].map(m=>[+m[1],+m[2]])]).filter(l=>l[1].length);"
    "if(!lines.length)continue;"
    "const bar=document.createElementNS(svg.namespaceURI,'path');bar.setAttribute('class','kp-x');svg.append(bar);"
    "const off=()=>{tip.style.display='none';bar.removeAttribute('d')};"
    "svg.addEventListener('pointerleave',off);"
    "svg.addEventListener('pointermove',e=>{const m=svg.getScreenCTM();if(!m)return;"
    "const x=(e.clientX-m.e)/m.a;if(x<ax[2]-4||x>ax[3]+4)return off();"
    "let best=null;for(const l of lines)for(const q of l[1])if(!best||Math.abs(q[0]-x)<Math.abs(best[0]-x))best=q;"
    "const rows=[num(inv(ax,best[0]),ax[4])];"
    "for(const l of lines){let q=l[1][0];for(const r of l[1])if(Math.abs(r[0]-best[0])<Math.abs(q[0]-best[0]))q=r;"
    "if(Math.abs(q[0]-best[0])<12)rows.push(l[0]+': '+num(inv(ay,q[1]),ay[4]))}"
    "bar.setAttribute('d','M'+best[0]+','+ay[2]+'V'+ay[3]);tip.textContent=rows.join('\\n');tip.style.display='block';"
    "tip.style.left=Math.min(e.clientX+14,innerWidth-tip.offsetWidth-6)+'px';"
    "tip.style.top=Math.max(4,e.clientY-tip.offsetHeight-10)+'px'})}})();";

page page_begin(text_buf *to, const char *title, const char *subtitle)
{
    text_append(to, "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
                    "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"
                    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                    "style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n<title>");
    plot_escape(to, title);
    text_append(to, "</title>\n<style>");
    text_append(to, style);
    text_append(to, plot_css());
    text_append(to, "</style></head>\n<body><main><h1>");
    plot_escape(to, title);
    text_append(to, "</h1>\n");
    if (subtitle != NULL) {
        text_append(to, "<p class=\"sub\">");
        plot_escape(to, subtitle);
        text_append(to, "</p>\n");
    }
    return (page){.to = to};
}

static void end_section(page *p)
{
    if (p->in_grid) text_append(p->to, "</div>");
    if (p->in_section) text_append(p->to, "</section>\n");
    p->in_grid = p->in_section = false;
}

void page_section(page *p, const char *title, const char *words)
{
    end_section(p);
    text_append(p->to, "<section><h2>");
    plot_escape(p->to, title);
    text_append(p->to, "</h2>\n");
    p->in_section = true;
    if (words != NULL) page_words(p, words);
}

void page_grid(page *p)
{
    if (!p->in_grid) text_append(p->to, "<div class=\"grid\">\n");
    p->in_grid = true;
}

void page_words(page *p, const char *words)
{
    text_append(p->to, "<p>");
    plot_escape(p->to, words);
    text_append(p->to, "</p>\n");
}

// --- tables

static bool looks_like_number(const char *s)
{
    if (*s == '-' || *s == '+') s++;
    if (!isdigit((unsigned char)*s)) return false;
    return s[strspn(s, "0123456789.,:% ")] == 0 || strstr(s, "±") != NULL;
}

static void put_cell(page *p, const char *kind, const char *s)
{
    text_printf(p->to, "<%s%s>", kind, strcmp(kind, "td") == 0 && looks_like_number(s) ? " class=\"n\"" : "");
    plot_escape(p->to, s);
    text_printf(p->to, "</%s>", kind);
}

void page_table_begin(page *p, const char *const *heads, int n)
{
    text_append(p->to, "<div class=\"wide\"><table>\n");
    if (n > 0) text_append(p->to, "<tr>");
    for (int i = 0; i < n; i++) put_cell(p, "th", heads[i]);
    if (n > 0) text_append(p->to, "</tr>\n");
}

void page_row(page *p, const char *const *cells, int n)
{
    text_append(p->to, "<tr>");
    for (int i = 0; i < n; i++) put_cell(p, "td", cells[i]);
    text_append(p->to, "</tr>\n");
}

void page_table_end(page *p)
{
    text_append(p->to, "</table></div>\n");
}

void page_facts_begin(page *p)
{
    page_table_begin(p, NULL, 0);
}

void page_fact(page *p, const char *name, const char *fmt, ...)
{
    text_buf t = {0};
    va_list ap;
    va_start(ap, fmt);
    text_vprintf(&t, fmt, ap);
    va_end(ap);
    text_append(p->to, "<tr>");
    put_cell(p, "th", name);
    text_append(p->to, "<td>");
    plot_escape(p->to, text_str(&t));
    text_append(p->to, "</td></tr>\n");
    if (t.failed) p->to->failed = true;
    text_free(&t);
}

void page_facts_end(page *p)
{
    page_table_end(p);
}

void page_end(page *p, const char *footer)
{
    end_section(p);
    if (footer != NULL) {
        text_append(p->to, "<footer>");
        plot_escape(p->to, footer);
        text_append(p->to, "</footer>\n");
    }
    text_append(p->to, "</main><script>");
    text_append(p->to, script);
    text_append(p->to, "</script></body></html>\n");
}
