import type { ReactNode } from 'react'

function Icon({ children }: { children: ReactNode }) {
  return (
    <svg
      viewBox="0 0 24 24"
      width="20"
      height="20"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.75"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      {children}
    </svg>
  )
}

export function Hourglass() {
  return (
    <Icon>
      <path d="M6 3h12M6 21h12M7 3v3.5c0 2.5 5 4 5 5.5s-5 3-5 5.5V21M17 3v3.5c0 2.5-5 4-5 5.5s5 3 5 5.5V21" />
      <path d="M10 18.5h4" />
    </Icon>
  )
}

export function Eye() {
  return (
    <Icon>
      <path d="M2 12s3.5-7 10-7 10 7 10 7-3.5 7-10 7S2 12 2 12Z" />
      <circle cx="12" cy="12" r="3" />
    </Icon>
  )
}

export function Person() {
  return (
    <Icon>
      <circle cx="12" cy="8" r="4" />
      <path d="M4 21c0-4 3.5-7 8-7s8 3 8 7" />
    </Icon>
  )
}

export function Copy() {
  return (
    <Icon>
      <rect x="9" y="9" width="11" height="11" rx="2" />
      <path d="M5 15H4.5A1.5 1.5 0 0 1 3 13.5V5.5A2.5 2.5 0 0 1 5.5 3h8A1.5 1.5 0 0 1 15 4.5V5" />
    </Icon>
  )
}

export function Paste() {
  return (
    <Icon>
      <path d="M9 4H6.5A1.5 1.5 0 0 0 5 5.5v14A1.5 1.5 0 0 0 6.5 21h11a1.5 1.5 0 0 0 1.5-1.5v-14A1.5 1.5 0 0 0 17.5 4H15" />
      <rect x="9" y="2.5" width="6" height="3.5" rx="1" />
      <path d="M12 10.5v6m-2.5-2.5 2.5 2.5 2.5-2.5" />
    </Icon>
  )
}

export function Keyboard() {
  return (
    <Icon>
      <rect x="2.5" y="6" width="19" height="12" rx="2" />
      <path d="M6 10h.01M9.5 10h.01M13 10h.01M16.5 10h.01M7 14h10" />
    </Icon>
  )
}

export function Gauge() {
  return (
    <Icon>
      <path d="M4 18a9 9 0 1 1 16 0" />
      <path d="m12 15 4-5" />
    </Icon>
  )
}

export function Expand() {
  return (
    <Icon>
      <path d="M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5" />
    </Icon>
  )
}
