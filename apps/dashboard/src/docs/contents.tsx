import { operations } from 'virtual:operation-list'
import { useEffect } from 'react'
import { Empty } from '../ui/notes.tsx'
import { ErrorsPage } from './errors-page.tsx'
import { EventsPage } from './events-page.tsx'
import { OperationPage } from './operation-page.tsx'
import type { Place } from './place.ts'
import { StartPage } from './start-page.tsx'

/** What is beside the list. */
export default function Contents({ place }: { place: Place }) {
  const name = place.kind === 'operation' ? place.id : place.kind
  useEffect(() => {
    // A new page is read from its beginning.
    if (name) document.getElementById('main')?.scrollTo(0, 0)
  }, [name])
  if (place.kind === 'start') return <StartPage />
  if (place.kind === 'errors') return <ErrorsPage code={place.code} />
  if (place.kind === 'events') return <EventsPage type={place.type} />
  const entry = operations.find(({ id, publishedId }) => id === place.id || publishedId === place.id)
  if (entry) return <OperationPage key={entry.id} entry={entry} />
  return (
    <div className="p-4 md:p-6">
      <h1 className="sr-only">Not found</h1>
      <Empty title={`There is no operation ${place.id}.`}>Press / to search for another.</Empty>
    </div>
  )
}
