import { glob } from 'node:fs/promises'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { openBrowser } from '../support/browser.ts'
import { type ByHand, Reader } from './support/reader.ts'
import { root } from './support/root.ts'
import { linkIn, takeOver } from './support/take-over.ts'

const reader = await Reader.create()
const browser = await openBrowser({ viewport: { width: 1280, height: 900 } })
await reader.startService()

/** What a person does for the pages that ask for one. */
const people: Readonly<Record<string, ByHand>> = {
  'docs/how-to/ask-a-person.md': {
    'npx node ask.ts &': async printed => {
      await waitFor(() => linkIn(printed()) !== undefined)
      await takeOver(browser, linkIn(printed()) ?? '', async page => {
        await page.getByText('Please solve the captcha.').first().waitFor()
      })
    },
  },
}

const pages = await Array.fromAsync(glob('docs/how-to/*.md', { cwd: root }))

for (const page of pages.sort())
  test(`${page} can be pasted in order`, async () => {
    await reader.paste(page, people[page])
  })
