import type { ReactNode } from 'react';
import type { StatusHead } from './status-head.ts';
import './status-title.css';

/** A plan's name, and how it stands. */
export function StatusTitle({ title, badge }: Pick<StatusHead, 'title' | 'badge'>): ReactNode {
  return (
    <h2 className="billing-status-title">
      {title}
      {badge && (
        <span className="billing-badge" data-tone={badge.tone}>
          {badge.text}
        </span>
      )}
    </h2>
  );
}
