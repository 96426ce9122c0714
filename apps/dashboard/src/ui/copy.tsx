import { Check, Copy as CopyIcon } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Button } from './button.tsx'

/** Puts a text into the clipboard, and says that it is there. */
export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), 2000)
    return () => clearTimeout(timer)
  }, [isCopied])
  return (
    <Button size="small" onClick={() => void navigator.clipboard.writeText(text).then(() => setCopied(true))}>
      {isCopied ? <Check /> : <CopyIcon />}
      {isCopied ? 'Copied' : label}
    </Button>
  )
}

/** Code to read and to copy. */
export function Code({ text, label }: { text: string; label: string }) {
  return (
    <div className="overflow-hidden rounded-md border border-line bg-ground">
      <div className="flex items-center justify-between gap-2 border-b border-line px-3 py-1.5">
        <span className="text-[13px] text-quiet">{label}</span>
        <CopyButton text={text} />
      </div>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keyboard.
        tabIndex={0}
        className="overflow-x-auto p-3 font-mono text-[13px]"
      >
        <code>{text}</code>
      </pre>
    </div>
  )
}
