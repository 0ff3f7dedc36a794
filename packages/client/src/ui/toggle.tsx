import { type ReactNode, useId } from 'react';
import './toggle.css';

interface ToggleProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly choices: readonly (readonly [Value, string])[];
  readonly onChoose: (value: Value) => void;
}

/** A choice of one, side by side; radio buttons to a keyboard and to a screen reader. */
export function Toggle<Value extends string>({
  label,
  value,
  choices,
  onChoose,
}: ToggleProps<Value>): ReactNode {
  const name = useId();
  return (
    <fieldset className="billing-toggle">
      <legend className="billing-visually-hidden">{label}</legend>
      {choices.map(([choice, text]) => (
        <label key={choice} className="billing-toggle-choice">
          <input
            type="radio"
            className="billing-visually-hidden"
            name={name}
            checked={value === choice}
            onChange={() => onChoose(choice)}
          />
          <span>{text}</span>
        </label>
      ))}
    </fieldset>
  );
}
