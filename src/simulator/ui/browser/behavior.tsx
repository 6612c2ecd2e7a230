import { useEffect, useRef, useState } from "preact/hooks";
import type { View } from "../view.js";
import { messageOf, send } from "./connection.js";

type Option = View["behavior"][number];

export function Behavior({ options }: { options: readonly Option[] }) {
  return (
    <section id="behavior" aria-labelledby="behavior-title">
      <h2 id="behavior-title">Behavior</h2>
      <p>What the API docs leave open. Changes apply from the next request on.</p>
      <div class="options">
        {options.map((option) => (
          <Field key={option.key} option={option} />
        ))}
      </div>
    </section>
  );
}

function Field({ option }: { option: Option }) {
  const { key, description, values, form, value, defaultValue } = option;
  const [problem, setProblem] = useState("");
  const control = useRef<HTMLSelectElement & HTMLInputElement>(null);
  // Sets a change at the simulator only: text that the person is typing stays.
  useEffect(() => {
    if (control.current) control.current.value = value;
  }, [value]);
  const change = ({ currentTarget }: { currentTarget: HTMLSelectElement | HTMLInputElement }) => {
    setProblem("");
    const input = { key, value: currentTarget.value.trim() };
    return send("set-behavior", input).catch((error: unknown) => setProblem(messageOf(error)));
  };
  const hint = [form, value !== defaultValue && `default: ${defaultValue || "none"}`]
    .filter(Boolean)
    .join("; ");
  return (
    <div>
      <label for={key}>
        {description.replace(/^./, (first) => first.toUpperCase())}
        <small>
          <code>{key}</code> {hint}
        </small>
      </label>
      {values ? (
        <select id={key} ref={control} onChange={change}>
          {values.map((value) => (
            <option key={value}>{value}</option>
          ))}
        </select>
      ) : (
        <input id={key} ref={control} autoComplete="off" spellcheck={false} onChange={change} />
      )}
      <small role="alert" class="bad">
        {problem}
      </small>
    </div>
  );
}
