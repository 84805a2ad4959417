package dev.pvcpopulators.registrystreamiscsi.settings;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pvcpopulators.iscsitarget.session.ServerOptions;
import io.smallrye.config.SmallRyeConfig;
import io.smallrye.config.SmallRyeConfigBuilder;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Tests that the settings for logins reach the iSCSI target.
final class ServerSettingsTest {
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void theSettingPermitsChapWithMd5(boolean taken) {
    assertEquals(taken, options("chap-md5", taken).takeMd5());
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void digestsAreRequiredAsTheSettingSays(boolean required) {
    assertEquals(required, options("require-digests", required).requireDigests());
  }

  private static ServerOptions options(String key, boolean value) {
    SmallRyeConfig config =
        new SmallRyeConfigBuilder()
            .addDiscoveredConverters()
            .withMapping(RegistryStreamIscsiSettings.class)
            .withDefaultValue("registry-stream-iscsi." + key, Boolean.toString(value))
            .build();
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    return new PortalAddress(List.of(any), "127.0.0.1")
        .options(config.getConfigMapping(RegistryStreamIscsiSettings.class));
  }
}
