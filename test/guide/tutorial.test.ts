import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { openBrowser } from '../support/browser.ts'
import { Reader } from './support/reader.ts'
import { linkIn, takeOver } from './support/take-over.ts'

const reader = await Reader.create()
const browser = await openBrowser({ viewport: { width: 1280, height: 900 } })

test('the tutorial can be pasted in order, and a person takes over in between', async () => {
  await reader.paste('docs/tutorial.md', {
    'npx node agent.ts &': async printed => {
      await waitFor(() => printed().includes('Line 3 is next.'))
      await takeOver(browser, linkIn(printed()) ?? '', async page => {
        await waitFor(() => printed().includes('A person is in control.'))
        await page.keyboard.press('Control+End')
        await page.keyboard.type('And so was I.\n')
      })
    },
    wait: async printed => {
      assert.match(printed(), /I save it\./)
      assert.match(printed(), /^And so was I\.$/m)
      assert.match(printed(), /^25\. The agent was here\.$/m)
    },
  })
})
