{{/* The tag of all images. */}}
{{- define "pvc-populators.tag" -}}
{{- default .Chart.AppVersion .Values.image.tag -}}
{{- end -}}

{{/* The operator's image. */}}
{{- define "pvc-populators.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{- printf "%s/operator@%s" .registry .digest -}}
{{- else -}}
{{- printf "%s/operator:%s" .registry (include "pvc-populators.tag" $) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/*
Prints the variables of the operator that differ from those of the base, by name. The operator's own
default for the services' images is that of values.yaml.
*/}}
{{- define "pvc-populators.settings" -}}
{{- $settings := deepCopy .Values.operator.settings -}}
{{- with .Values.image -}}
{{- if ne .registry "localhost/pvc-populators" -}}
{{- $_ := set $settings "OPERATOR_IMAGE_PREFIX" .registry -}}
{{- end -}}
{{- if .tag -}}
{{- $_ := set $settings "OPERATOR_IMAGE_TAG" .tag -}}
{{- end -}}
{{- if ne .pullPolicy "IfNotPresent" -}}
{{- $_ := set $settings "OPERATOR_IMAGE_PULL_POLICY" .pullPolicy -}}
{{- end -}}
{{- end -}}
{{- if not .Values.operator.dynamicVolumes -}}
{{- $_ := set $settings "OPERATOR_DYNAMIC_VOLUMES" "false" -}}
{{- end -}}
{{- toYaml $settings -}}
{{- end -}}

{{/* Prints the spec of the Deployment. Arguments: context, spec (of the base), version (a label). */}}
{{- define "pvc-populators.deployment" -}}
{{- $values := .context.Values -}}
{{- $spec := .spec -}}
{{- $_ := set $spec "replicas" $values.operator.replicas -}}
{{- $_ := set $spec.template.metadata "labels" (merge (deepCopy .version) $spec.template.metadata.labels) -}}
{{- $pod := $spec.template.spec -}}
{{- $container := first $pod.containers -}}
{{- $_ := set $container "image" (include "pvc-populators.image" .context) -}}
{{- $_ := set $container "imagePullPolicy" $values.image.pullPolicy -}}
{{- $settings := include "pvc-populators.settings" .context | fromYaml -}}
{{- $env := list -}}
{{- range $container.env -}}
{{- if not (hasKey $settings .name) -}}
{{- $env = append $env . -}}
{{- end -}}
{{- end -}}
{{- range $name, $value := $settings -}}
{{- $env = append $env (dict "name" $name "value" (toString $value)) -}}
{{- end -}}
{{- $_ := set $container "env" $env -}}
{{- if $values.operator.resources -}}
{{- $_ := set $container "resources" $values.operator.resources -}}
{{- end -}}
{{- if $values.image.pullSecrets -}}
{{- $secrets := list -}}
{{- range $values.image.pullSecrets -}}
{{- $secrets = append $secrets (dict "name" .) -}}
{{- end -}}
{{- $_ := set $pod "imagePullSecrets" $secrets -}}
{{- end -}}
{{- if $values.operator.nodeSelector -}}
{{- $_ := set $pod "nodeSelector" $values.operator.nodeSelector -}}
{{- end -}}
{{- if $values.operator.tolerations -}}
{{- $_ := set $pod "tolerations" $values.operator.tolerations -}}
{{- end -}}
{{- toYaml $spec -}}
{{- end -}}
