// Chromium of the distribution, a page with the built site, and what tests say to it.
import { chromium } from 'playwright-core';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serve } from './server.mjs';

const top = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
export const site = process.env.SITE ?? join(top, 'build/site');
const chrome = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((f) => existsSync(f));
export const skip = !existsSync(join(site, 'index.html')) ? `${site} is missing: make site` : !chrome ? 'chromium is not installed' : false;

// `how.server`: somebody else serves the page, as { url, close() }.
export async function browser(how = {}) {
  const server = how.server ?? (await serve(site, how));
  const b = await chromium.launch({ executablePath: chrome, args: ['--no-sandbox', '--disable-gpu'] });
  return {
    url: server.url,
    // `errors` collects what a user must never cause: console errors, failed requests, requests to elsewhere.
    async page(options = {}) {
      const context = await b.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-GB', serviceWorkers: 'block', reducedMotion: 'reduce', ...options });
      const page = await context.newPage();
      const errors = [];
      page.setDefaultTimeout(Number(process.env.E2E_TIMEOUT ?? 60000));
      page.on('pageerror', (e) => errors.push(String(e)));
      page.on('console', (m) => m.type() === 'error' && errors.push(`${m.text()} ${m.location().url}`));
      page.on('request', (r) => !r.url().startsWith(server.url) && !/^(data|blob):/.test(r.url()) && errors.push(`request to ${r.url()}`));
      return { page, context, errors };
    },
    async close() {
      await b.close();
      await server.close();
    },
  };
}

export const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 };

export async function open(page, url, hash = '') {
  await page.goto(`${url}${hash}`);
  await page.waitForSelector('.stage');
}
export const cell = (page, n) => page.locator(`[data-seen="${n}"]`);
export const moves = (page) => page.locator('.moves .mv').allInnerTexts();
export const yourTurn = (page) => page.waitForFunction(() => document.querySelector('.cell.can, .ending'));
export const over = (page) => page.locator('.ending').count();
// A page draws a moment after it was touched: what is expected is waited for, never read once.
export const shows = (page, selector, n) => page.waitForFunction(([s, k]) => document.querySelectorAll(s).length === k, [selector, n]);
export const says = (page, selector, pattern) => page.waitForFunction(([s, p]) => new RegExp(p, 's').test(document.querySelector(s)?.textContent ?? ''), [selector, pattern.source]);
export const played = (page, n) => page.waitForFunction((k) => document.querySelectorAll('.moves .mv').length >= k || document.querySelector('.ending'), n);
export const movesAre = (page, list) => page.waitForFunction((l) => [...document.querySelectorAll('.moves .mv')].map((e) => e.innerText).join() === l, list.join());

// Serious findings of axe-core, none if all is well. The page must have been made with bypassCSP.
const rules = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
export async function axe(page) {
  await page.evaluate(readFileSync(rules, 'utf8'));
  const found = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
  return found.violations.filter((v) => ['serious', 'critical'].includes(v.impact)).map((v) => `${v.id}: ${v.nodes.slice(0, 3).map((n) => n.target).join(' | ')}`);
}
