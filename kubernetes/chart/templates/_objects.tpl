{{/*
The objects are those of the kustomize directories, to which the links in files/ lead. The templates
change in them what kustomize changes, and what values.yaml has.
*/}}

{{/* Prints the object in a file. Arguments: context, file. */}}
{{- define "pvc-populators.read" -}}
{{- $text := required (printf "%s is missing in the chart" .file) (.context.Files.Get .file) -}}
{{- $object := fromYaml $text -}}
{{- if not (and $object.kind $object.metadata) -}}
{{- fail (printf "%s: expected an object of Kubernetes, found %v" .file (default "another document" $object.Error)) -}}
{{- end -}}
{{- toYaml $object -}}
{{- end -}}

{{/* Prints the object in a file, in the release's namespace. Arguments: context, file, labels. */}}
{{- define "pvc-populators.namespaced" -}}
{{- $object := include "pvc-populators.read" . | fromYaml -}}
{{- $_ := set $object.metadata "namespace" .context.Release.Namespace -}}
{{- if .labels -}}
{{- $_ := set $object.metadata "labels" (merge (deepCopy .labels) (default dict $object.metadata.labels)) -}}
{{- end -}}
{{- toYaml $object -}}
{{- end -}}
