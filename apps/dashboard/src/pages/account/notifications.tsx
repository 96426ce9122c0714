import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Panel } from '../../ui/panel.tsx'

/** Lets the browser tell people that an agent needs them, also while they look elsewhere. */
export function Notifications() {
  const [permission, setPermission] = useState(() =>
    'Notification' in window ? Notification.permission : 'denied',
  )
  return (
    <Panel className="flex flex-wrap items-center justify-between gap-3">
      <div>
        <h2 className="font-medium">Notifications</h2>
        <p className="text-quiet">{texts[permission]}</p>
      </div>
      {permission === 'default' && (
        <Button onClick={() => void Notification.requestPermission().then(setPermission)}>Switch on</Button>
      )}
    </Panel>
  )
}

const texts = {
  granted: 'This browser tells you when an agent asks for a person.',
  default: 'This browser can tell you when an agent asks for a person.',
  denied: 'This browser may not show notifications. Its settings for this page can allow them.',
}
