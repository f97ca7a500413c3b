# Verifies one webhook: body.json holds its body as it arrived, token.txt its Authorization header without "Bearer ".
# In florin-ca.pem is the root certificate of the service; without that file the ones of the system are used.
set -eu
application=$1 environment=$2 domain=$3

refuse() { echo "refused: $1"; exit 1; }
decode() { awk '{ while (length($0) % 4) $0 = $0 "="; print }' | tr '_-' '/+' | openssl base64 -d -A; }
value() { sed -n 's/.*"'"$1"'":"\([^"]*\)".*/\1/p'; }

token=$(cat token.txt)
head=$(echo "$token" | cut -d . -f 1 | decode)
claims=$(echo "$token" | cut -d . -f 2 | decode)
echo "$token" | cut -d . -f 3 | decode > signature.bin

[ "$(echo "$head" | value alg)" = RS256 ] || refuse "the token is of another kind"
x5u=$(echo "$head" | value x5u)
case $x5u in https://*) ;; *) refuse "x5u does not use https" ;; esac
host=$(echo "$x5u" | sed 's|^https://||; s|[/?#\\].*||; s|:[0-9]*$||')
case $host in *@*) refuse "x5u names a user" ;; "$domain" | *."$domain") ;; *) refuse "x5u is not an address of the service" ;; esac

curl -fsS --proto =https --max-time 5 --max-filesize 65536 $([ ! -f florin-ca.pem ] || echo --cacert florin-ca.pem) -o key.pem "$x5u"
openssl x509 -in key.pem -noout -checkend 0 > expiry.txt || refuse "the certificate has expired"
openssl x509 -in key.pem -noout -pubkey > public.pem
printf %s "${token%.*}" | openssl dgst -sha256 -verify public.pem -signature signature.bin > signature.txt || refuse "the signature is wrong"

[ "$(echo "$claims" | value sub)" = "$application" ] || refuse "the webhook is for another application"
[ "$(echo "$claims" | value environment)" = "$environment" ] || refuse "the webhook is of the other environment"
digest=$(openssl dgst -sha256 -binary body.json | openssl base64 -A)
[ "$(echo "$claims" | value msgi)" = "sha256-$digest" ] || refuse "the token belongs to another body"
echo verified
