import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Fails with what axe-core finds on a page that is serious or critical, and is still there when the page has come to rest. */
export async function assertAccessible(page: Page): Promise<void> {
  let found: readonly string[] = []
  for (let look = 0; look < 5; look++) {
    found = await problemsOn(page)
    if (found.length === 0) return
    // A dialog that has just been closed still dims the page.
    await page.waitForTimeout(500)
  }
  assert.deepEqual(found, [], `${page.url()} is hard to use for some people`)
}

async function problemsOn(page: Page): Promise<readonly string[]> {
  // The policy of the page lets no script in, so it is evaluated by the debugger.
  await page.evaluate(axe)
  // While a dialog is open, nobody can use what is behind it, and it is dimmed.
  const { violations } = await page.evaluate<AxeResults>(
    "axe.run(document.querySelector('[role=dialog]') ?? document)",
  )
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
  return serious.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join('\n  ')}`)
}
