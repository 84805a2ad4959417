package dev.pvcpopulators.operator;

/// The text of `--help`.
final class Usage {
  static final String TEXT =
      """
      Usage: operator [--help]

      Fills PersistentVolumeClaims whose dataSourceRef names a DiskImage. It runs until it is ended by
      SIGTERM, talks to the API server as kubectl or a pod does, and is set by environment variables:

        OPERATOR_IMAGE_PREFIX        registry and path before the names of the services' images
        OPERATOR_IMAGE_TAG           tag of the services' images
        OPERATOR_IMAGE_PULL_POLICY   Always, IfNotPresent or Never
        OPERATOR_STATUS_PORT         port on which Jobs serve their status
        OPERATOR_ENVIRONMENT         variables of every Job and stream, NAME=VALUE, separated by commas
        OPERATOR_KEY_FILE            key that tokens are made from
        OPERATOR_DYNAMIC_VOLUMES     whether DynamicVolumes and streams are served
        OPERATOR_ANSWER_LIMIT        time limit of the first answer of a DynamicVolume's container
        OPERATOR_LEADER_ELECTION     whether one of several replicas is chosen by a Lease
        OPERATOR_NAMESPACE           namespace of the Lease
        OPERATOR_LEASE_NAME          name of the Lease
        OPERATOR_THREADS             claims, images and volumes that are worked on at once

      docs/operations/operator.md has their defaults.
      """;

  private Usage() {}
}
