-- +goose Up

-- What a webhook changed was kept as an English sentence. Now it is finance.DeliveryEffect in JSON, which pages put into the words of the reader. A sentence that is none of
-- those that Florin wrote stays, as said.
WITH ended AS (
    SELECT delivery_id, sequence, escaped,
        escaped LIKE '%, which is final' AS final,
        CASE WHEN escaped LIKE '%, which is final' THEN substr(escaped, 1, length(escaped) - length(', which is final')) ELSE escaped END AS text
    FROM (SELECT delivery_id, sequence, replace(replace(result, '\', '\\'), '"', '\"') AS escaped FROM webhook_result)
), told AS (
    SELECT *, CASE
        WHEN text LIKE 'nothing: the payment is final as %' THEN 'final'
        WHEN text LIKE 'the authorisation is known to be %; the payment is final as %' THEN 'final_approval'
        WHEN text LIKE 'nothing new: the service still says %' THEN 'none'
        WHEN text LIKE 'the authorisation became %' THEN 'approval'
        WHEN text LIKE 'details of %' THEN 'details'
        WHEN text = 'nothing: the service did not say which payment this is' THEN 'not_answered'
        WHEN text = 'nothing: it is a payment that this Florin did not make' THEN 'not_ours'
        WHEN text = 'nothing: the payment is still being sent' THEN 'still_sending'
        WHEN text = 'nothing: another payment has the same reference' THEN 'same_reference'
        WHEN text LIKE '% became %' THEN 'status'
        ELSE 'other'
    END AS kind FROM ended
), named AS (
    SELECT *,
        CASE kind WHEN 'status' THEN substr(text, 1, instr(text, ' became ') - 1) ELSE '' END AS before,
        CASE kind
            WHEN 'final' THEN substr(text, length('nothing: the payment is final as ') + 1)
            WHEN 'final_approval' THEN substr(text, instr(text, '; the payment is final as ') + length('; the payment is final as '))
            WHEN 'none' THEN substr(text, length('nothing new: the service still says ') + 1)
            WHEN 'details' THEN substr(text, length('details of ') + 1)
            WHEN 'status' THEN substr(text, instr(text, ' became ') + length(' became '))
            ELSE '' END AS after,
        CASE kind
            WHEN 'approval' THEN substr(text, length('the authorisation became ') + 1)
            WHEN 'final_approval' THEN substr(text, length('the authorisation is known to be ') + 1, instr(text, '; the payment is final as ') - length('the authorisation is known to be ') - 1)
            ELSE '' END AS approval
    FROM told
)
UPDATE webhook_result SET result = '{"kind":"' || named.kind || '","before":' || (
        CASE instr(before, ' with ') WHEN 0 THEN '{"status":"' || before || '"}'
            ELSE '{"status":"' || substr(before, 1, instr(before, ' with ') - 1) || '","cancellation":"' || substr(before, instr(before, ' with ') + length(' with ')) || '"}' END
    ) || ',"after":' || (
        CASE instr(after, ' with ') WHEN 0 THEN '{"status":"' || after || '"}'
            ELSE '{"status":"' || substr(after, 1, instr(after, ' with ') - 1) || '","cancellation":"' || substr(after, instr(after, ' with ') + length(' with ')) || '"}' END
    ) || ',"approval":"' || named.approval || '","final":' || (CASE WHEN named.final OR named.kind IN ('final', 'final_approval') THEN 'true' ELSE 'false' END)
    || ',"said":"' || (CASE named.kind WHEN 'other' THEN named.escaped ELSE '' END) || '"}'
FROM named WHERE named.delivery_id = webhook_result.delivery_id AND named.sequence = webhook_result.sequence;

-- The title of a payment with several transfers was a sentence, too ("3 payments"). How many there are is known.
UPDATE payment SET title = '' WHERE (SELECT COUNT(*) FROM payment_transfer transfer WHERE transfer.payment_id = payment.id) > 1;
