package dev.pvcpopulators.httpcopy;

import dev.pvcpopulators.kit.disk.CopySettings;
import dev.pvcpopulators.kit.settings.CheckedBy;
import dev.pvcpopulators.kit.settings.Described;
import dev.pvcpopulators.kit.source.ConnectionSettings;
import io.smallrye.config.ConfigMapping;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// The settings of this service, without the settings that all services share (prefix `populator`).
@CheckedBy(HttpCopyRules.class)
@ConfigMapping(prefix = "http-copy")
public interface HttpCopySettings extends ConnectionSettings, CopySettings {
  @Described(
      value =
          "The disk: http(s)://HOST[:PORT]/FILE, without user and password. If"
              + " HTTP_COPY_ALLOWED_HOSTS is set, PUT /volume may name another URL",
      example = "https://images.example/fedora-41.qcow2")
  Optional<String> url();

  @Described(
      value = "SHA-256 of the file, 64 hexadecimal digits",
      example = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")
  Optional<String> sha256();

  @Described(
      value = "SHA-512 of the file, 128 hexadecimal digits",
      example =
          "ee26b0dd4af7e749aa1a8ee3c10ae9923f618980772e473f8819a5d4940e0db2"
              + "7ac185f8a0e1d5f84f88bc887fd67b143732c304cc5fa9ad8e6f57f50028a8ff")
  Optional<String> sha512();

  @Described(
      value =
          "URL of a list of checksums with a line for the disk's file: SHA256SUMS,"
              + " SHA512SUMS or CHECKSUM. Its signature is not verified",
      example = "https://images.example/SHA512SUMS")
  Optional<String> checksumsUrl();

  @Described(
      value =
          "File with header fields for the server, one NAME: VALUE per line. These"
              + " fields, user name, password and token are sent only to the origin of"
              + " HTTP_COPY_URL, for paths in the directory of its file or below",
      example = "/etc/source/headers",
      secret = true)
  Optional<Path> headersFile();

  @Described(
      value = "File with the user name, such as a mounted Secret",
      example = "/etc/source/username",
      secret = true)
  Optional<Path> usernameFile();

  @Described(
      value = "File with the password, such as a mounted Secret",
      example = "/etc/source/password",
      secret = true)
  Optional<Path> passwordFile();

  @Described(
      value = "File with a bearer token, such as a mounted Secret",
      example = "/etc/source/token",
      secret = true)
  Optional<Path> tokenFile();

  @Described(
      value = "Hosts, HOST[:PORT] each, that may be reached by plain HTTP",
      example = "images.local:8080")
  Optional<List<String>> insecureHosts();

  @Described(
      value =
          "Hosts, HOST[:PORT] each, that may be asked for disks and checksums;"
              + " redirects of these hosts are not restricted. Unset: settings may name any"
              + " host, and clients may name no URL",
      example = "images.example")
  Optional<List<String>> allowedHosts();
}
