import { useState } from 'react'
import { Page } from '../../ui/page.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { ApiKeys } from './api-keys.tsx'
import { OrganizationSessions } from './organization-sessions.tsx'
import { TrialTokens } from './trial-tokens.tsx'

/** Who may do what: the keys of programs and people, tokens for visitors, and who is signed in. */
export function KeysPage() {
  const [shown, setShown] = useState('keys')
  const tabs = [
    { id: 'keys', title: 'API keys', content: () => <ApiKeys /> },
    { id: 'trials', title: 'Trial tokens', content: () => <TrialTokens /> },
    { id: 'sessions', title: 'Signed in', content: () => <OrganizationSessions /> },
  ]
  return (
    <Page title="Keys">
      <Tabs label="Keys" tabs={tabs} shown={shown} onShow={setShown} />
    </Page>
  )
}
