import { type FormEvent, useState } from 'react'
import { Hourglass } from './icons.tsx'
import { invitationIn } from './opening.ts'

/** Asks for an invitation link if the page was opened without one. */
export function OpenForm({ onOpen }: { onOpen: (code: string) => void }) {
  const [isWrong, setWrong] = useState(false)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const code = invitationIn(String(new FormData(event.currentTarget).get('link')))
    if (code === undefined) setWrong(true)
    else onOpen(code)
  }
  return (
    <form className="notice" onSubmit={submit}>
      <div className="mark">
        <Hourglass />
      </div>
      <h1>Open a sandbox</h1>
      <label htmlFor="link">Your invitation link</label>
      <input
        id="link"
        name="link"
        autoComplete="off"
        spellCheck={false}
        required
        aria-invalid={isWrong}
        aria-describedby="link-problem"
        onChange={() => setWrong(false)}
      />
      <p id="link-problem" className="problem" aria-live="polite">
        {isWrong && 'This is not an invitation link. Copy the whole link, including the part after #.'}
      </p>
      <button type="submit" className="primary">
        Open
      </button>
    </form>
  )
}
